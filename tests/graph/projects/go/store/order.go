package store

func record(id string) {}

func (o *Order) isValid() bool {
	return o.Total >= 0
}

func (o *Order) AddTax(rate int) *Order {
	return &Order{ID: o.ID, Total: percent(o.Total, rate)}
}

func percent(amount, rate int) int {
	return amount * rate / 100
}
