#import <Foundation/Foundation.h>
#import "Boat.h"

#define BOAT_MAX 4

typedef NS_ENUM(NSInteger, BoatKind) {
    BoatKindSail,
    BoatKindRow,
};

/** Told about boats. */
@protocol BoatDelegate <NSObject>
- (void)boatDidSink:(Boat *)boat;
/**
 * Asked before it leaves.
 */
- (BOOL)boat:(Boat *)boat shouldLeaveAt:(NSDate *)date;
@end

@interface Boat : NSObject <NSCopying>
@property (nonatomic, weak) id<BoatDelegate> delegate;
- (instancetype)initWithName:(NSString *)name;
@end

@interface Boat (Paint)
- (void)paint:(UIColor *)colour;
@end

static NSString *describe(BoatKind kind) {
    return kind == BoatKindSail ? @"sail" : @"row";
}

@implementation Boat {
    NSInteger _people;
}

- (instancetype)initWithName:(NSString *)name {
    if ((self = [super init])) {
        _name = [name copy];
    }
    return self;
}

+ (Boat *)boat { return [[self alloc] initWithName:@"none"]; }

// Moves people in and out.
- (void)move:(NSInteger)people
       toDeck:(NSInteger)deck {
    _people += people;
    [self.delegate boatDidSink:self];
}

@end

@implementation Boat (Paint)
- (void)paint:(UIColor *)colour {
    self.colour = colour;
}
@end
