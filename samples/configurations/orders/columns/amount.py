from ade_engine import Field

field = Field("amount", label="Amount", type="number", aliases=["Total", "Sum"])


def validate(value, row):
    quantity, price = row["quantity"], row["unit_price"]
    if not isinstance(value, (int, float)) or quantity is None or price is None:
        return None
    if abs(quantity * price - value) > 0.005:
        return ("warning", "is not quantity times unit price")
