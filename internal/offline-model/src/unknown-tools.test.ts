import { Agent, defineTool } from "@troupe/core";
import { compileStructuredSchema } from "@troupe/core/transport";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { OfflineModel } from "./offline-model.ts";
import { valueFromSchema } from "./value-from-schema.ts";

const model = new OfflineModel({ wordMs: 0 });

/** Tools that no pattern of the model knows. */
const schemas = {
  convert_currency: {
    description: "Converts an amount of money to another currency.",
    parameters: z.strictObject({
      amount: z.number().positive(),
      from: z.string().regex(/^[A-Z]{3}$/),
      to: z.string().regex(/^[A-Z]{3}$/),
    }),
  },
  set_light: {
    description: "Switches a lamp on or off.",
    parameters: z.strictObject({
      room: z.enum(["kitchen", "hall"]),
      on: z.boolean(),
      brightness: z.int().min(0).max(100).optional(),
    }),
  },
  find_train: {
    description: "Finds trains between two cities.",
    parameters: z.strictObject({
      from: z.string().min(1),
      to: z.string().min(1),
      date: z.iso.date(),
      passengers: z.int().min(1).default(1),
    }),
  },
  create_ticket: {
    description: "Creates a ticket for the repair team.",
    parameters: z.strictObject({
      title: z.string().min(3),
      priority: z.enum(["low", "high"]).optional(),
      reporter: z.strictObject({ email: z.email() }),
    }),
  },
  track_parcel: {
    description: "Tells where a parcel is.",
    parameters: z.strictObject({ parcelNumber: z.string() }),
  },
  add_note: { description: "Writes a note.", parameters: z.strictObject({ text: z.string().max(40) }) },
} as const;

async function callsFor(input: string): Promise<[name: string, args: unknown][]> {
  const called: [string, unknown][] = [];
  const tools = Object.entries(schemas).map(([name, { description, parameters }]) =>
    defineTool({
      name,
      description,
      parameters: parameters as z.ZodType<Record<string, unknown>>,
      execute: (args) => {
        called.push([name, args]);
        return "Done.";
      },
    }),
  );
  await new Agent({ name: "helper", model, tools }).run(input);
  return called;
}

describe("OfflineModel with tools that it has never seen", () => {
  it.each<[input: string, name: keyof typeof schemas, args: object]>([
    ["Convert 100 EUR to USD", "convert_currency", { amount: 100, from: "EUR", to: "USD" }],
    ["How much is 12.5 CHF in the currency NOK?", "convert_currency", { amount: 12.5, from: "CHF", to: "NOK" }],
    ["Please switch the lamp in the kitchen off", "set_light", { room: "kitchen", on: false }],
    ["Turn on the light in the hall with brightness 40", "set_light", { room: "hall", on: true, brightness: 40 }],
    [
      "Find a train from Oslo to Bergen on 2026-12-01 for 2 passengers",
      "find_train",
      { from: "Oslo", to: "Bergen", date: "2026-12-01", passengers: 2 },
    ],
    [
      "Create a high priority ticket about the broken printer, reporter email ada@example.com",
      "create_ticket",
      { priority: "high", reporter: { email: "ada@example.com" } },
    ],
    ["Where is my parcel AB-1234?", "track_parcel", { parcelNumber: "AB-1234" }],
    ['Add a note saying "buy milk"', "add_note", { text: "buy milk" }],
  ])("calls the one that fits, with valid arguments, for: %s", async (input, name, args) => {
    expect(await callsFor(input)).toMatchObject([[name, args]]);
  });

  it("asks for what it cannot find instead of making it up", async () => {
    const { text, toolCalls } = await new Agent({
      name: "helper",
      model,
      tools: [defineTool({ name: "find_train", ...schemas.find_train, execute: () => "Done." })],
    }).run("Find a train from Oslo to Bergen");

    expect(toolCalls).toEqual([]);
    expect(text).toBe("To use find_train, I need its date.");
  });

  it("fills a schema that it has never seen from the words of the request", async () => {
    const invoice = z.strictObject({
      invoiceNumber: z.string(),
      customer: z.strictObject({ name: z.string().nullable(), email: z.email().nullable() }),
      due: z.iso.date().nullable(),
      items: z.array(z.string()),
      paid: z.boolean(),
      total: z.number(),
      currency: z.enum(["EUR", "USD", "other"]),
    });
    const { structured } = await new Agent({ name: "reader", model, structuredOutput: invoice }).run(
      "My name is Ada. Invoice number F-2027-3 with the items: pens, paper and ink. The total is 42.5 EUR, due 3 May 2027, not paid. ada@example.com",
    );

    expect(structured).toEqual({
      invoiceNumber: "F-2027-3",
      customer: { name: "Ada", email: "ada@example.com" },
      due: "2027-05-03",
      items: ["pens", "paper", "ink"],
      paid: false,
      total: 42.5,
      currency: "EUR",
    });
  });
});

const leaf = fc.oneof(
  fc.record({
    type: fc.constant("string"),
    minLength: fc.integer({ min: 0, max: 5 }),
    maxLength: fc.integer({ min: 5, max: 60 }),
  }),
  fc.record({ type: fc.constant("string"), format: fc.constantFrom("date", "email", "uri", "uuid", "date-time") }),
  fc.record({
    type: fc.constant("string"),
    pattern: fc.constantFrom("^[A-Z]{3}$", String.raw`^\d{4}$`, "^(?:a|b)-[0-9]+$"),
  }),
  fc.record({
    type: fc.constantFrom("integer", "number"),
    minimum: fc.integer({ min: -5, max: 5 }),
    maximum: fc.integer({ min: 5, max: 9 }),
  }),
  fc.constant({ type: "boolean" }),
  fc.record({ enum: fc.constant(["low", "high", "unknown"]) }),
  fc.record({ type: fc.constant(["string", "null"]) }),
);
const fieldName = fc.constantFrom(
  "name",
  "city",
  "to",
  "date",
  "items",
  "emails",
  "total",
  "paid",
  "query",
  "text",
  "orderId",
  "x",
);
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({
      type: fc.constant("array"),
      items: tie("schema"),
      minItems: fc.integer({ min: 0, max: 2 }),
      maxItems: fc.integer({ min: 2, max: 3 }),
    }),
    fc.dictionary(fieldName, tie("schema"), { maxKeys: 4 }).map((properties) => ({
      type: "object",
      properties,
      required: Object.keys(properties).slice(1),
      additionalProperties: false,
    })),
  ),
}));
const said = fc.constantFrom(
  "",
  "My name is Ada. Send 3 pens, paper and ink to Oslo by 2026-05-03, it is urgent and not paid: ada@example.com",
  "Convert 100 EUR to USD in Bergen, name: Bob, items: a, b, c and d, total 7, query is low",
);

it("valueFromSchema makes a valid value of any schema, whatever the request says", async () => {
  await fc.assert(
    fc.asyncProperty(schema, said, async (root, request) => {
      const compiled = compileStructuredSchema(
        { type: "object", properties: { value: root }, required: ["value"] },
        "answer",
      );
      const value = valueFromSchema(compiled.jsonSchema, { clause: request, request, answer: "", instructions: "" });

      expect(await compiled.validate(value)).toMatchObject({ ok: true });
    }),
    { numRuns: 300 },
  );
});
