"""Proof that the log is complete and unaltered: chains, the Merkle tree, checkpoints, bundles.

records      a thread's events as they are stored, in bounded pages
threads      a thread recomputed, and compared with what is stored; many, in processes
auditor      all threads and the tree, or what has come since a checkpoint
tree         the tree over a tenant's log, from stored complete subtrees
notes        signed notes: the text of a checkpoint, its signature, its key
signing      the private key, in its file
checkpoints  making checkpoints, and proofs against them
evidence     a thread's events as they were chained; with all proofs, as one file
bundle       the check of that file, without a database
"""
