"""Tools for assistants, by the Model Context Protocol, over the HTTP API.

`server` has the tools, which stand in `thread_tools`, `question_tools` and `report_tools`;
`answers` has their results, `pages` their sizes, `http_api` the requests. Needs the extra `mcp`.
"""
