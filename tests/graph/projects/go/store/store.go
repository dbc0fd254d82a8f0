package store

import "errors"

var ErrMissing = errors.New("missing")

type Order struct {
	ID    string
	Total int
}

type Base struct{}

func (b *Base) Touch(id string) {
	record(id)
}

type Memory struct {
	Base
	orders map[string]*Order
}

func NewMemory() *Memory {
	return &Memory{orders: map[string]*Order{}}
}

func (m *Memory) Keep(order *Order) error {
	m.Touch(order.ID)
	if !order.isValid() {
		return ErrMissing
	}
	return nil
}
