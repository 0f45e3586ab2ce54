"""Why a run went as it went: where to look, and what stands there."""
