"""Recordings and tapes of runs, engines beside them; pure, as the core's projections."""
