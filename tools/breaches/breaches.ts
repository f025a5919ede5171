import type { Planting } from "./plant.ts";

/** A mistake in how the parts fit together that `pnpm check` must not let pass. */
interface Breach {
  readonly title: string;
  /** The step of the check that refuses it, and what it says then. */
  readonly step: string;
  readonly says: RegExp;
  readonly planting: Planting;
}

const app = "apps/demo-server/src";
const core = "packages/core/src";
const architecture: readonly Breach[] = [
  {
    title: "an import from a higher layer",
    step: "layers",
    says: /util\/planted\.ts:1 upward\n.*util stands below run/,
    planting: { [`${core}/util/planted.ts`]: 'import type { Runnable } from "../run/runnable.ts";\n' },
  },
  {
    title: "an import from a neighbour on the same layer",
    step: "layers",
    says: /keys\/planted\.ts:1 sideways\n.*keys and storage share a layer/,
    planting: { [`${core}/keys/planted.ts`]: 'import type { Json } from "../storage/json.ts";\n' },
  },
  {
    title: "an import through a deep path",
    step: "layers",
    says: /planted\.ts:1 deep-path\n.*@troupe\/core\/src\/storage\/json\.ts is not an entry point/,
    planting: { [`${app}/planted.ts`]: 'import type { Json } from "@troupe/core/src/storage/json.ts";\n' },
  },
  {
    title: "a cycle of types",
    step: "layers",
    says: /cycle\n.*planted-a\.ts → .*planted-b\.ts → .*planted-a\.ts: types count/,
    planting: {
      [`${core}/util/planted-a.ts`]: 'import type { B } from "./planted-b.ts";\n',
      [`${core}/util/planted-b.ts`]: 'import type { A } from "./planted-a.ts";\n',
    },
  },
  {
    title: "an undeclared dependency that happens to be installed",
    step: "layers",
    says: /undeclared\n.*knip is not declared in packages\/core\/package\.json/,
    planting: { [`${core}/util/planted.ts`]: 'import type { KnipConfig } from "knip";\n' },
  },
];

const dead: readonly Breach[] = [
  {
    title: "an unused export",
    step: "deadcode",
    says: /Unused exports[\s\S]*planted .*storage\/json\.ts/,
    planting: { [`${core}/storage/json.ts`]: (text) => `${text}/** Planted. */\nexport const planted = 1;\n` },
  },
  {
    title: "an undeclared dependency",
    step: "deadcode",
    says: /Unlisted dependencies[\s\S]*left-pad .*main\.ts/,
    planting: { [`${app}/main.ts`]: (text) => `import "left-pad";\n${text}` },
  },
];

const published: readonly Breach[] = [
  {
    title: 'a missing "types" entry',
    step: "packages",
    says: /packages\/core\/package\.json.*types/,
    planting: { "packages/core/package.json": (text) => text.replaceAll(/"types": "[^"]+",\s*/g, "") },
  },
];

/** One breach of each kind, planted and refused one at a time. */
export const breaches: readonly Breach[] = [...architecture, ...dead, ...published];
