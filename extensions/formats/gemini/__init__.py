"""The view `gemini`: contents of Gemini's generateContent."""
