"""uvicorn's server and its connections, behind a strict HTTP parser."""
