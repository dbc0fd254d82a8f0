module Orbit

using LinearAlgebra: norm, dot
import Base: show, +
export Planet, period

const GRAVITY = 6.674e-11

abstract type Body end

"""
A planet on its way round.
"""
mutable struct Planet{T<:Real} <: Body
    name::String
    mass::T
    function Planet(name, mass::T) where {T}
        mass > 0 || error("mass")
        new{T}(name, mass)
    end
end

struct Moon <: Body
    of::Planet
end

# How long a year is.
# In seconds.
function period(planet::Planet, radius::Float64)::Float64
    square(x) = x * x
    if radius <= 0
        throw(DomainError(radius))
    elseif radius > 1e12
        return Inf
    end
    return 2pi * sqrt(radius^3 / (GRAVITY * planet.mass))
end

speed(planet, radius) = 2pi * radius / period(planet, radius)

Base.show(io::IO, planet::Planet) = print(io, planet.name)

function +(a::Planet{T}, b::Planet{T}) where {T<:Real}
    Planet(a.name * b.name, a.mass + b.mass)
end

double = x -> 2x

macro orbit(body, steps)
    quote
        for _ in 1:$(esc(steps))
            step!($(esc(body)))
        end
    end
end

@inline function fast(x)
    x .^ 2
end

end # module
