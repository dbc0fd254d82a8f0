import 'dart:async';
import 'package:lamp/bulb.dart' as bulb;

export 'switch.dart';

const kMaxLamps = 12;

/// What lights up.
abstract class Light {
  int get brightness;

  void on();
}

/// A lamp on a table.
///
/// Off at first.
@immutable
class Lamp<T extends Light> extends Base with Dimming implements Light {
  Lamp(this.name, {this.watts = 40});

  Lamp.off() : name = 'off', watts = 0;

  factory Lamp.fromJson(Map<String, dynamic> json) {
    final name = json['name'] as String;
    return Lamp(name);
  }

  final String name;
  final int watts;

  @override
  int get brightness => watts * 10;

  set power(int value) {
    _watts = value;
  }

  @override
  Future<void> on({Duration after = Duration.zero}) async {
    void blink(int times) {
      for (var i = 0; i < times; i++) {
        print(i);
      }
    }

    await Future.delayed(after);
    blink(2);
  }

  @override
  bool operator ==(Object other) => other is Lamp && other.name == name;

  static Lamp create() => Lamp('new');
}

mixin Dimming on Base {
  void dim(double by) {
    level -= by;
  }
}

extension Brighter on Light {
  bool get isBright => brightness > 100;
}

enum Colour { warm, cold }

typedef Switch = void Function(bool on);

void main(List<String> arguments) {
  runZoned(() {
    Lamp.create().on();
  });
}
