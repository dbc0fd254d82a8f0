{-# LANGUAGE LambdaCase #-}
-- | Trains and where they go.
module Rail.Train
  ( Train (..)
  , depart
  ) where

import Control.Monad (forM_, when)
import qualified Data.Map.Strict as Map

-- | A train with its cars.
data Train = Train
  { number :: Int
  , cars   :: [Car]
  }
  deriving (Eq, Show)

newtype Car = Car { seats :: Int }

type Timetable = Map.Map Int [Train]

data Signal where
  Red   :: Signal
  Green :: Int -> Signal

-- | What runs on rails.
class Monoid a => Runs a where
  run :: a -> IO ()
  run _ = pure ()

instance Semigroup Train where
  a <> b = Train (number a) (cars a ++ cars b)

instance (Show a) => Runs [a] where
  run xs = forM_ xs $ \x ->
    print x

-- | Lets a train go.
-- Waits for green.
depart :: Timetable -> Int -> Either String Train
depart table n
  | Just (train : _) <- found = Right train
  | otherwise = Left "no train"
  where
    found = Map.lookup n table

seatsOf :: Train -> Int
seatsOf (Train _ []) = 0
seatsOf (Train n (Car s : rest)) =
  s + seatsOf (Train n rest)

infixr 5 +++
(+++) :: Train -> Car -> Train
train +++ car = train { cars = car : cars train }

maxSpeed :: Int
maxSpeed = 300

main :: IO ()
main = do
  let table = Map.empty
  when (Map.null table) $ putStrLn "empty"
  either putStrLn print (depart table 1)
