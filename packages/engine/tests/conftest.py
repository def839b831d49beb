"""Settings for every test of the engine."""

import os

from hypothesis import HealthCheck, settings

# A busy machine is not a bug, so nothing is timed; and CI asks the same questions each time, so that a red run is red
# for a reason. ADE_TEST_RANDOM=1 asks others.
settings.register_profile(
    "ade",
    deadline=None,
    max_examples=20 if os.environ.get("ADE_TEST_FAST") else 100,
    derandomize=not os.environ.get("ADE_TEST_RANDOM"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ade")
