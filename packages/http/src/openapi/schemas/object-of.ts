import type { Schema } from "../open-api-spec.ts";

type OptionalName<Type> = { [Name in keyof Type]-?: object extends Pick<Type, Name> ? Name : never }[keyof Type];

type Shape<Type> = {
  required: Record<Exclude<keyof Type, OptionalName<Type>>, Schema>;
  optional: Record<OptionalName<Type>, Schema>;
  example: Type;
  description?: string;
};

/** The schema of a type: what the type has and the schema has not, or the other way round, does not compile. */
export function objectOf<Type extends object>({ required, optional, ...more }: Shape<Type>): Schema {
  const names = Object.keys(required);
  return {
    type: "object",
    ...more,
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}

/** The same for what a client sends: a field that would have no effect is refused. */
export function closedObjectOf<Type extends object>(shape: Shape<Type>): Schema {
  return { ...objectOf(shape), additionalProperties: false };
}
