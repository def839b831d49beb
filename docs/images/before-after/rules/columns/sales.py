from ade_engine import Field

fields = [
    Field("region", label="Region", from_group=True),
    Field("order_number", label="Order number", aliases=["Order", "Order no"]),
    Field("ordered_on", label="Ordered on", type="date", day_first=True),
    Field("customer", label="Customer"),
    Field("quantity", label="Quantity", type="integer", required=True, aliases=["Qty"]),
    Field("net", label="Net", type="money", decimal=","),
]
