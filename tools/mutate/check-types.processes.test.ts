import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findRefused } from "./check-types.ts";

const root = join(import.meta.dirname, "../..");

it.each([
  ["the client of the page", "packages/page/client/ui/copy-button.tsx", "export function CopyButton"],
  ["a package", "packages/socket/src/cors-origins.ts", "export async function allowsOrigin"],
  ["a part of products", "internal/client/src/api-error.ts", "export function mayPass"],
])("the type check refuses in %s just the changes that do not type-check", (_, file, place) => {
  const text = readFileSync(join(root, file), "utf8");
  expect(text).toContain(place);
  const change = (before: string) => ({ file, text: text.replace(place, `${before}\n${place}`) });
  const [sound, wrong] = [change("export const one: number = 1;"), change('export const two: number = "2";')];

  expect(findRefused(root, [sound, wrong])).toEqual(new Set([wrong]));
});
