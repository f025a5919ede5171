import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Packages that the demo does not compose, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  "create-troupe": "it is a command that makes programs",
  "@troupe/client": "it is a library for programs that call the demo",
  "@troupe/otel": "it writes to an SDK of OpenTelemetry, which a program chooses and starts",
  "@troupe/readers": "the documents of the demo are written in its program",
  "@troupe/providers-ai-sdk": "its models are made by packages of the AI SDK that a program chooses",
};

const packages = join(import.meta.dirname, "../../../packages");

function readPackage(folder: string): { readonly name: string; readonly dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as ReturnType<typeof readPackage>;
}

describe("the demo", () => {
  it("composes every package that is published, but for those that are left out with a reason", () => {
    const names = readdirSync(packages).map((folder) => readPackage(join(packages, folder)).name);
    const composed = Object.keys(readPackage(join(import.meta.dirname, "..")).dependencies ?? {});

    const accounted = [...composed.filter((name) => name.startsWith("@troupe/")), ...Object.keys(leftOut)];

    expect(names.length).toBeGreaterThan(10);
    expect(accounted.toSorted()).toEqual(names.toSorted());
  });
});
