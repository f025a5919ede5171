import { expect, it } from "vitest";
import { countSchema, objectSchema, stringSchema } from "./schema-builders.ts";

it("the schema of an object lists its required fields, unless it has none: OpenAPI 3.0 has no empty list", () => {
  type Named = { name: string; count?: number };
  const named = { required: { name: stringSchema }, optional: { count: countSchema }, example: { name: "Åse" } };
  expect(objectSchema<Named>(named)).toMatchObject({ properties: { name: {}, count: {} }, required: ["name"] });

  const open = { required: {}, optional: { count: countSchema }, example: {} };
  expect(objectSchema<{ count?: number }>(open)).not.toHaveProperty("required");
});
