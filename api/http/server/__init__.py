"""uvicorn's server and connections, behind a strict HTTP parser."""
