package main

import (
	"example.com/shop/orders"
	"example.com/other/store"
)

func main() {
	service := orders.NewService()
	order, err := service.Place("1", 10)
	if err == nil {
		order.AddTax(7)
	}
	store.NewMemory()
	run(func() {})
}

func run(percent func()) {
	percent()
}
