from ade_engine import Field

field = Field("order_number", label="Order number", required=True, unique=True, aliases=["Order no", "Order ID"])


def detect_pattern(column):
    return 0.6 * column.share_matching(r"SO-\d{4}")
