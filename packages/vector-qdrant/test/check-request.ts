import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";

/** The names of the bodies of requests in Qdrant's published description that the double takes. */
export type RequestName =
  | "CreateCollection"
  | "CreateFieldIndex"
  | "UpdateOperations"
  | "QueryRequest"
  | "PointRequest";

const checks = new Map<RequestName, ValidateFunction>();
let schemas: Ajv2020 | undefined;

/** Returns what is wrong with the body of a request by Qdrant's published description, or `undefined`. */
export function problemOfBody(name: RequestName, body: unknown): string | undefined {
  const check = checks.get(name) ?? compile(name);
  checks.set(name, check);
  if (check(body)) return undefined;
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join("; ");
}

function compile(name: RequestName): ValidateFunction {
  schemas ??= readSchemas();
  return schemas.compile({ $ref: `qdrant#/$defs/${name}` });
}

function readSchemas(): Ajv2020 {
  const path = new URL("__fixtures__/qdrant-requests.json", import.meta.url);
  const description = JSON.parse(readFileSync(path, "utf8")) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...description, $id: "qdrant" });
  return ajv;
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Returns true if Qdrant takes a point's id: a number or a UUID, which the description only calls a string. */
export function isPointId(id: unknown): boolean {
  return (Number.isInteger(id) && (id as number) >= 0) || (typeof id === "string" && uuid.test(id));
}
