"""Tests of deploy/: rules, the dashboard, units and manifests, run as far as programs are here."""
