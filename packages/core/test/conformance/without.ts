/** The object without one of its members. */
export function without<Thing extends object, Name extends keyof Thing>(thing: Thing, name: Name): Omit<Thing, Name> {
  const { [name]: _, ...rest } = thing;
  return rest;
}
