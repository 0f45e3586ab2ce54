"""Files of this machine, imported by a service: `agentlog import --to` and `agentlog watch --to`.

The service reads all formats; here files are found, sent in pieces, and what came of it is shown.

screen     what commands print
files      finds files
sending    sends files in pieces, for as long as it takes
agents     where coding agents keep their sessions
opencode   the sessions of opencode, out of its database
imports    the command import
sources    what is watched
memory     what watch remembers of files that it has sent
watch      the command watch
record     the command imports
program    the command line of this distribution
"""
