import { templates } from "./templates.ts";
import type { Template, TemplateName } from "./templates.ts";
import { libraryVersions, nodeRange, rangeOf } from "./versions.ts";
import { vendors } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

/** The choices that decide what a project depends on. */
export interface ManifestChoices {
  readonly name: string;
  readonly template: TemplateName;
  readonly vendor: VendorName;
}

/** Returns the text of a project's package.json. */
export function manifestFile({ name, template, vendor }: ManifestChoices): string {
  const { packages, libraries, scripts, isCompiled }: Template = templates[template];
  const development = isCompiled ? ["@types/node"] : ["@types/node", "@types/react"];
  const manifest = {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    scripts,
    dependencies: rangesOf(["@troupe/core", vendors[vendor].package, ...packages, ...libraries, "zod"]),
    devDependencies: {
      ...rangesOf(development),
      // Next.js loads the TypeScript compiler as a library, which version 7 of the compiler no longer allows.
      typescript: isCompiled ? libraryVersions.typescript : libraryVersions["typescript-of-next"],
    },
    engines: { node: nodeRange },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function rangesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.toSorted().map((name) => [name, rangeOf(name)]));
}
