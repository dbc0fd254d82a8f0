package org.example
package ferry

import scala.concurrent.{ExecutionContext, Future}
import cats.syntax.all._

/** Carries people. */
trait Carries[F[_]] {
  type Load
  def load(people: Int): F[Unit]

  /** How many fit.
    * Never changes.
    */
  def capacity: Int
}

sealed abstract class Tide(val height: Double)

object Tide {
  case object Low extends Tide(0.5)
  final case class High(at: Long) extends Tide(3.0) {
    def isSpring: Boolean = height > 2
  }

  val MaxHeight = 4.0

  implicit val ordering: Ordering[Tide] =
    Ordering.by { tide =>
      tide.height
    }

  def apply(height: Double): Tide = {
    def choose(limit: Double): Tide = {
      val now = System.nanoTime()
      if (height > limit) High(now) else Low
    }
    choose(1.0)
  }
}

@deprecated("use Boat", "2.0")
class Ferry[F[_]: Monad](name: String)(implicit ec: ExecutionContext) extends Carries[F] with Logging {
  private var people = 0

  def this() = this("none")

  override def load(count: Int): F[Unit] =
    for {
      _ <- log(s"loading $count")
      _ <- check(count)
    } yield ()

  override val capacity: Int = 100

  def +(other: Ferry[F]): Ferry[F] = new Ferry[F](name)
}

enum Deck(val level: Int) {
  case Lower extends Deck(0)
  case Upper extends Deck(1)
}

given Ordering[Ferry[Option]] with {
  def compare(a: Ferry[Option], b: Ferry[Option]): Int = 0
}

extension (ferry: Ferry[Option]) {
  def isFull: Boolean = true
}
