"""Search of messages: by words from the read model `message_words`, by JSONPath from the log.

`query` is what is asked, `json_path` its predicates, `hits` what is shown of a message. `index`
finds candidates; `search` checks each against the log.
"""
