//! A heap of numbers.
const std = @import("std");
const Allocator = std.mem.Allocator;

pub const MAX_DEPTH = 32;

/// What can go wrong.
pub const HeapError = error{
    Empty,
    Full,
};

/// Keeps the least on top.
pub fn Heap(comptime T: type) type {
    return struct {
        const Self = @This();
        items: []T,

        pub fn push(self: *Self, item: T) HeapError!void {
            if (self.items.len == MAX_DEPTH) return HeapError.Full;
            self.items[self.items.len] = item;
        }
    };
}

pub const Point = struct {
    x: i32 = 0,
    y: i32 = 0,

    pub fn add(self: Point, other: Point) Point {
        return .{ .x = self.x + other.x, .y = self.y + other.y };
    }
};

const Kind = enum(u8) {
    small,
    large,

    fn name(self: Kind) []const u8 {
        return switch (self) {
            .small => "small",
            .large => "large",
        };
    }
};

const Value = union(enum) {
    int: i64,
    text: []const u8,
};

extern fn read(fd: c_int, buffer: [*]u8, count: usize) isize;

export fn main() void {
    std.debug.print("{}\n", .{Point.add(.{}, .{})});
}

test "points add up" {
    const sum = (Point{ .x = 1 }).add(.{ .x = 2 });
    try std.testing.expectEqual(3, sum.x);
}
