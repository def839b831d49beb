from ade_engine import Field

field = Field(
    "email",
    label="Email",
    kind="email",
    aliases=["E-Mail-Adresse", "Courriel", "E-mail", "Mail"],
    pattern=r"[^@\s]+@[^@\s]+\.[^@\s]+",
)


def transform(value):
    return str(value).strip().lower()
