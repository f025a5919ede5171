import { describe, expect, it } from "vitest";
import { chooseLanguage } from "./language.ts";
import type { Language } from "./language.ts";

describe("the language of the page [page.languages]", () => {
  it.each<[readonly Language[], string | undefined, Language]>([
    [["en", "de"], undefined, "en"],
    [["de", "en"], undefined, "de"],
    [["en", "de"], "de", "de"],
    [["en", "de"], "DE-at, en;q=0.9", "de"],
    [["en", "de"], "fr, de;q=0.5, en;q=0.4", "de"],
    [["en", "de"], "en;q=0.1, de;q=0.9", "de"],
    [["en", "de"], "de;q=0, *;q=0.1", "en"],
    [["en", "de"], "de;q=2, en;q=0.1", "en"],
    [["en", "de"], "den, deutsch", "en"],
    [["en"], "de", "en"],
    [["de"], "en", "de"],
    [["de", "en"], "*", "de"],
    [["de", "en"], ",,;q=,\u00e9", "de"],
    [["en", "de"], "constructor", "en"],
  ])("of %j for the header %j is %s", (offered, header, language) => {
    expect(chooseLanguage(offered, header)).toBe(language);
  });

  it("is chosen in time from a header as long as a server takes", () => {
    const start = performance.now();
    expect(chooseLanguage(["en", "de"], "x;q=0.5,".repeat(2000) + "de")).toBe("de");
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
