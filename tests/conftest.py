"""What every test shares: hypothesis settings that never flake on a busy machine."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "here",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("here")
