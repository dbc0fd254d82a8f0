package orders

import (
	"fmt"

	st "example.com/shop/store"
)

type Keeper interface {
	Keep(order *st.Order) error
}

type Service struct {
	memory *st.Memory
	keeper Keeper
}

func NewService() *Service {
	return &Service{memory: st.NewMemory()}
}

func (s *Service) Place(id string, total int) (*st.Order, error) {
	order := &st.Order{ID: id, Total: total}
	taxed := order.AddTax(19)
	if err := s.memory.Keep(taxed); err != nil {
		return nil, fmt.Errorf("place: %w", err)
	}
	s.announce(taxed)
	return taxed, nil
}

func (s *Service) announce(order *st.Order) {
	record := func(id string) {}
	record(order.ID)
}
