import { constantFrom, nat, oneof, shuffledSubarray, tuple } from "fast-check";
import type { Arbitrary } from "fast-check";
import type { OpenApiSpec, OpenApiSchema } from "../../src/openapi/open-api-spec.ts";
import { objectOf } from "./described-values.ts";
import { uploadLimits } from "./faulty-service.ts";
import { encodeForm, formContentType } from "../forms.ts";
import type { FormPart } from "../forms.ts";

/** A broken form: its bytes, its content type, and the status that refuses it. */
export type WrongForm = { body: Buffer | FormPart[]; contentType: string; refusal: number };

const { maxFiles, maxFileSize, maxFieldSize } = uploadLimits;
const text: FormPart = { name: "input", body: "Hi" };
const file: FormPart = { name: "files", filename: "a.png", type: "image/png", body: "abc" };
/** Bytes that all requests share, for there are many. */
const large = { ...file, body: Buffer.alloc(maxFileSize, "x") };
const tooLarge = { ...file, body: Buffer.alloc(maxFileSize + 1, "x") };

/** Forms that match their schema, with fields in any order. A few have files large enough for the disk. */
export function rightForm(schema: OpenApiSchema, spec: OpenApiSpec): Arbitrary<FormPart[]> {
  const small = (objectOf(schema, spec) as Arbitrary<Record<string, unknown>>).map(toParts).filter(hasInput);
  const onDisk = constantFrom<FormPart[][]>([text, large, large, large], [large, large, large]);
  return oneof({ weight: 40, arbitrary: small }, { weight: 1, arbitrary: onDisk }).chain(inAnyOrder);
}

function toParts(fields: Record<string, unknown>): FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    Array.isArray(value) ? (value as FormPart[]).map((each) => ({ ...each, name })) : { name, body: String(value) },
  );
}

function hasInput(parts: readonly FormPart[]): boolean {
  return parts.some(({ name }) => name === "input" || name === "files");
}

function inAnyOrder(parts: FormPart[]): Arbitrary<FormPart[]> {
  return shuffledSubarray(parts, { minLength: parts.length });
}

/** Parts that make any form invalid, in place of its own parts of the same names. */
const wrongParts: readonly (readonly [refusal: number, ...parts: FormPart[]])[] = [
  [413, ...Array.from({ length: maxFiles + 1 }, () => file)],
  [413, file, tooLarge],
  [413, ...Array.from({ length: maxFiles }, () => large)],
  [413, { ...text, body: "x".repeat(maxFieldSize + 1) }],
  [415, file, { ...file, type: "text/html" }],
  [415, { name: "files", filename: "a.png", body: "no type" }],
  [400, { ...file, body: "" }],
  [400, text, text],
  [400, { ...file, name: "input" }],
  [400, { ...text, name: "files" }],
  [400, { name: "model", body: "x" }],
  [400, { name: "__proto__", body: "x" }],
  [400, { name: "sessionId", body: "a/b" }, text],
  [400, { name: "apiKey", body: "not a key" }, text],
  [400, { body: "no name" }],
  [400, { filename: "no-name", body: "x" }],
  [400, { ...text, headers: ["Content-Transfer-Encoding: base64"] }],
  [400, { ...text, type: "text/plain; charset=x-none" }],
  [400, { ...text, headers: ["not a header"] }],
  [400, { ...file, headers: [`X-Long: ${"x".repeat(20_000)}`] }],
  [400, ...Array.from({ length: 30 }, (_, index) => ({ name: `field${index}`, body: "x" }))],
];

/** Damage to the bytes of a valid form, at some position. */
const wrongBytes: readonly ((bytes: Buffer, at: number) => { body: Buffer; contentType?: string })[] = [
  (body) => ({ body, contentType: "multipart/form-data" }),
  (body) => ({ body, contentType: "multipart/form-data; boundary=" }),
  (body) => ({ body, contentType: "multipart/form-data; boundary=other" }),
  (bytes) => ({ body: bytes.subarray(0, -"--edge--\r\n".length) }),
  (bytes, at) => ({ body: bytes.subarray(0, at) }),
  (_, at) => ({ body: Buffer.alloc(1 + at, 255) }),
];

/** Broken forms: in one of four the bytes are damaged. */
export function wrongForm(schema: OpenApiSchema, spec: OpenApiSpec): Arbitrary<WrongForm> {
  const right = rightForm(schema, spec);
  return oneof({ weight: 3, arbitrary: withWrongParts(right) }, { weight: 1, arbitrary: withWrongBytes(right) });
}

function withWrongParts(right: Arbitrary<FormPart[]>): Arbitrary<WrongForm> {
  return tuple(right, constantFrom(...wrongParts)).chain(([others, [refusal, ...parts]]) => {
    const rest = others.filter(({ name }) => !parts.some((part) => part.name === name));
    return inAnyOrder([...rest, ...parts]).map((body) => ({ body, contentType: formContentType, refusal }));
  });
}

function withWrongBytes(right: Arbitrary<FormPart[]>): Arbitrary<WrongForm> {
  return tuple(right, constantFrom(...wrongBytes), nat(999)).map(([parts, spoil, place]) => {
    const bytes = encodeForm(...parts);
    // Bytes after the last boundary do not matter.
    const at = Math.floor(((bytes.length - "--\r\n".length) * place) / 1000);
    return { contentType: formContentType, refusal: 400, ...spoil(bytes, at) };
  });
}
