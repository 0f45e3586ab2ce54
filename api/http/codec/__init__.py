"""Reading requests and writing responses: parameters, bodies, JSON, problems."""
