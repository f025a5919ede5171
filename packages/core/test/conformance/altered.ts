/** Returns the subject with some members replaced. */
export function altered<Subject extends object>(right: Subject, change: (right: Subject) => Partial<Subject>): Subject {
  const instead = change(right);
  return new Proxy(right, {
    has: (target, name) => (Object.hasOwn(instead, name) ? Reflect.get(instead, name) !== undefined : name in target),
    get(target, name) {
      if (Object.hasOwn(instead, name)) return Reflect.get(instead, name) as unknown;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Returns the object without one of its members. */
export function without<Thing extends object, Name extends keyof Thing>(thing: Thing, name: Name): Omit<Thing, Name> {
  const { [name]: _, ...rest } = thing;
  return rest;
}
