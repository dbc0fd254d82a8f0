package org.example.garden

import kotlinx.coroutines.flow.Flow
import java.util.UUID as Id

const val MAX_HEIGHT = 300

/** Something that grows. */
interface Grows {
    fun grow(days: Int)

    /**
     * How tall it is
     * in centimetres.
     */
    val height: Int
}

/**
 * A plant in a bed.
 */
@Serializable
data class Plant(
    val name: String,
    override var height: Int = 0,
) : Base(name), Grows {
    val isTall: Boolean
        get() {
            return height > MAX_HEIGHT / 2
        }

    init {
        require(name.isNotBlank())
    }

    constructor(id: Id) : this(id.toString()) {
        register(id)
    }

    @Synchronized
    override fun grow(days: Int) {
        fun daily(rate: Int): Int {
            val light = rate * 2
            return light + 1
        }
        height += daily(days)
    }

    companion object {
        fun seed(name: String): Plant {
            return Plant(name)
        }
    }
}

sealed class Event {
    object Rain : Event()

    class Sun(val hours: Int) : Event() {
        fun warm() = hours > 5
    }
}

enum class Season {
    SPRING,
    AUTUMN;

    fun next(): Season = values()[(ordinal + 1) % 2]
}

object Garden {
    private val beds = mutableListOf<Plant>()

    suspend fun water(flow: Flow<Int>): Unit = flow.collect { beds.forEach { bed -> bed.grow(it) } }
}

fun String.toPlant(): Plant = Plant(this)

typealias Bed = List<Plant>
