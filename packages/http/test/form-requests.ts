import { constantFrom, nat, record, shuffledSubarray, string, tuple, uint8Array } from "fast-check";
import type { Arbitrary } from "fast-check";
import type { OpenApiSpec, Schema } from "../src/openapi/open-api-spec.ts";
import { valueOf } from "./described-values.ts";
import { uploadLimits } from "./faulty-service.ts";
import { encodeForm, formType } from "./forms.ts";
import type { FormPart } from "./forms.ts";

const contentType = formType.slice("Content-Type: ".length);
const { maxFiles, maxFileSize, maxTotalSize, maxFieldSize } = uploadLimits;

/** A form, and the type that its request gives it. */
export type SentForm = { contentType: string; body: Buffer | readonly FormPart[] };

/** A form in which something is wrong, and the status that says so. */
type SpoiltForm = { status: 400 | 413 | 415 } & Partial<SentForm>;

/** What the description cannot say of a file. */
const anyFile: Arbitrary<FormPart> = record({
  filename: constantFrom("a.png", "../../etc/passwd", "Übersicht 日本.pdf", "a\u202egnp.exe", "n".repeat(300)),
  type: constantFrom("image/png", "IMAGE/jpeg; q=1", "audio/wav", "application/pdf"),
  body: uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
});
const file: FormPart = { name: "files", filename: "a.png", type: "image/png", body: "abc" };
const tooLarge = Buffer.alloc(maxFileSize + 1, "x");
/** Large enough to be kept on disk. */
const large = Buffer.alloc(maxFileSize, "x");

/** Forms that are as their schema says: its fields, with texts and files, in any order. */
export function rightForm(schema: Schema, spec: OpenApiSpec): Arbitrary<SentForm> {
  const { properties } = schema as { properties: Record<string, Schema> };
  const fields = Object.entries(properties).filter(([name]) => name !== "userId");
  const values = fields.map(
    ([name, each]) => [name, isFiles(each) ? filesOf(name) : textsOf(name, each, spec)] as const,
  );
  return record<Record<string, FormPart[]>>(Object.fromEntries(values))
    .map((parts) => Object.values(parts).flat())
    .filter((parts) => parts.some(({ name }) => name === "input" || name === "files"))
    .chain((parts) => shuffledSubarray(parts, { minLength: parts.length }))
    .map((body) => ({ contentType, body }));
}

function isFiles({ type, items }: Schema): boolean {
  return type === "array" && (items as Schema)["format"] === "binary";
}

function filesOf(name: string): Arbitrary<FormPart[]> {
  return tuple(anyFile, anyFile, anyFile, nat(maxFiles)).map(([first, second, third, count]) =>
    [first, second, third].slice(0, count).map((each) => ({ ...each, name })),
  );
}

function textsOf(name: string, schema: Schema, spec: OpenApiSpec): Arbitrary<FormPart[]> {
  return tuple(valueOf(schema, spec), constantFrom(true, false)).map(([value, isSent]) =>
    isSent ? [{ name, body: String(value) }] : [],
  );
}

/** Breaks that make a form wrong, whatever else is in it. */
const breaks: Readonly<Record<string, (parts: readonly FormPart[], at: number, junk: string) => SpoiltForm>> = {
  "another boundary": () => ({ status: 400, contentType: "multipart/form-data; boundary=other" }),
  "an empty boundary": () => ({ status: 400, contentType: "multipart/form-data; boundary=" }),
  "no boundary": () => ({ status: 400, contentType: "multipart/form-data" }),
  "no closing boundary": (parts) => ({ status: 400, body: encodeForm(...parts).subarray(0, -"--edge--\r\n".length) }),
  "an end too early": (parts, at) => ({ status: 400, body: cut(encodeForm(...parts), at) }),
  "garbage for a form": (_, at) => ({ status: 400, body: Buffer.alloc(1 + (at % 5000), at) }),
  "garbage for a head": (parts) => ({ status: 400, body: withFirst(parts, { headers: ["no colon", ":", "\0"] }) }),
  "a surplus file": (parts) => ({ status: 413, body: [...parts, ...Array<FormPart>(maxFiles + 1).fill(file)] }),
  "an oversize file": (parts) => ({ status: 413, body: [{ ...file, body: tooLarge }, ...withoutFiles(parts)] }),
  "files too large together": (parts) => ({
    status: 413,
    body: [
      ...withoutFiles(parts),
      { ...file, body: large },
      { ...file, body: large.subarray(0, maxTotalSize - maxFileSize + 1) },
    ],
  }),
  "an overlong field": (parts) => ({
    status: 413,
    body: [...without(parts, "input"), { name: "input", body: "x".repeat(maxFieldSize + 1) }],
  }),
  "a forbidden type": (parts) => ({ status: 415, body: [...withoutFiles(parts), { ...file, type: "text/html" }] }),
  "no type": (parts) => ({ status: 415, body: [...withoutFiles(parts), { name: "files", filename: "a", body: "x" }] }),
  "an empty file": (parts) => ({ status: 400, body: [...withoutFiles(parts), { ...file, body: "" }] }),
  "an unknown field": (parts, _, junk) => ({ status: 400, body: [...parts, { name: `x${junk}`, body: junk }] }),
  "a prototype": (parts) => ({ status: 400, body: [{ name: "__proto__", body: "x" }, ...parts] }),
  "a field twice": (parts) => ({
    status: 400,
    body: [...without(parts, "input"), ...twice({ name: "input", body: "x" })],
  }),
  "a file for a text": (parts) => ({ status: 400, body: [...without(parts, "input"), { ...file, name: "input" }] }),
  "a text for a file": (parts) => ({ status: 400, body: [...withoutFiles(parts), { name: "files", body: "x" }] }),
  "a part without a name": (parts) => ({ status: 400, body: [...parts, { body: "x" }] }),
  "a wrong session": (parts) => ({
    status: 400,
    body: [...without(parts, "sessionId"), file, { name: "sessionId", body: "a/b" }].slice(-maxFiles),
  }),
  "an encoded part": (parts) => ({
    status: 400,
    body: [{ name: "input", body: "eA==", headers: ["Content-Transfer-Encoding: base64"] }, ...without(parts, "input")],
  }),
  "nothing in it": () => ({ status: 400, body: [] }),
};
