#include <vector>
#include "shape.h"

namespace geo {

constexpr double PI = 3.14159;

/// A shape in the plane.
class Shape : public Drawable, private detail::Counted<Shape> {
 public:
  explicit Shape(int sides);
  virtual ~Shape() = default;
  virtual double area() const = 0;
  /// Moves by a vector
  /// in place.
  void move(double x, double y);
  bool operator==(const Shape& other) const { return sides_ == other.sides_; }
  explicit operator bool() const {
    return sides_ > 0;
  }
  template <typename T> T as() const {
    return static_cast<T>(sides_);
  }

 private:
  int sides_;
};

Shape::Shape(int sides) : sides_(sides) {}

Shape::~Shape() { release(); }

void Shape::move(double x, double y) {
  auto shift = [&](double& v) {
    v += x;
  };
  shift(y);
}

template <typename T>
class Grid {
  std::vector<T> cells_;
 public:
  T& at(int i);
  void* operator new(size_t bytes);
};

template <typename T>
T& Grid<T>::at(int i) { return cells_[i]; }

template <>
int& Grid<int>::at(int i) { return cells_[i + 1]; }

template <>
class Grid<bool> {
  unsigned bits_;
};

template <typename A, typename B>
auto sum(A a, B b) -> decltype(a + b) { return a + b; }

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.area();
}

using Row = std::vector<Shape>;
enum class Colour : char { Red, Green };
union Bits { float f; int i; };

}  // namespace geo

namespace geo::v2 { inline int version() { return 2; } }
int geo::v2::build() { return 7; }
