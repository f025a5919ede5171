import { canonicalJson } from "../canonical-json.ts";
import type { Check } from "./check-run.ts";
import { describeConstant, describeEnum } from "./describe-schema.ts";
import { typeOf } from "./describe-value.ts";
import { type KeywordCompiler, type KeywordSite, readList, refuseKeyword } from "./keyword-site.ts";

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** `type`, `enum` and `const`. */
export const typeKeywords = {
  type: (site) => {
    const types = (Array.isArray(site.value) ? site.value : [site.value]) as unknown[];
    const unknown = types.find((type) => typeof type !== "string" || !typeNames.has(type));
    if (types.length === 0 || unknown !== undefined) {
      throw refuseKeyword(site, `"type" must be one of ${[...typeNames].join(", ")}, or a list of them`);
    }
    const allowed = new Set(types);
    const takesIntegers = allowed.has("integer");
    const expected = types.join(" or ");
    return (value, place, run) => {
      if (allowed.has(typeOf(value)) || (takesIntegers && Number.isInteger(value))) return true;
      return run.fail({ place, keyword: "type", expected, value });
    };
  },

  enum: (site) => checkOneOf(site, readList(site), describeEnum(readList(site))),
  const: (site) => checkOneOf(site, [site.value], describeConstant(site.value)),
} satisfies Record<string, KeywordCompiler>;

function checkOneOf({ keyword }: KeywordSite, values: readonly unknown[], expected: string): Check {
  const scalars = new Set(values.filter((value) => typeof value !== "object" || value === null));
  const composites = new Set(values.filter((value) => !scalars.has(value)).map((value) => canonicalJson(value)));
  return (value, place, run) => {
    if (scalars.has(value)) return true;
    const isComposite = composites.size > 0 && typeof value === "object" && value !== null;
    return (isComposite && composites.has(canonicalJson(value, run))) || run.fail({ place, keyword, expected, value });
  };
}
