from ade_engine import Field

field = Field("email", label="Email", kind="email", aliases=["E-Mail"], pattern=r"[^@\s]+@[^@\s]+\.[^@\s]+")


def transform(value):
    return value.strip().lower()
