"""Tests of the proofs: chains, the tree, checkpoints, bundles."""
