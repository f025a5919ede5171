import type { Layers } from "../../../layers.mjs";
import { isTest } from "../workspace.ts";

/** A file of a package whose folders have layers. */
export interface FolderPlace {
  /** The folder that holds the package's sources: `packages/core/src`. */
  readonly source: string;
  /** The folder inside it, or the name of a file that stands beside the folders. */
  readonly folder: string;
  readonly isInFolder: boolean;
  readonly isEntryPoint: boolean;
  readonly isTest: boolean;
  /** Part of the test kit, which tests of every layer may import. */
  readonly isTestKit: boolean;
  /** Counted from the lowest; `-1` when `layers.mjs` does not name the folder. */
  readonly layer: number;
}

/** Locates a path among the layers; `undefined` when its package has none. */
export function folderPlace(path: string, { folderLayers, coreEntryPoints, testKit }: Layers): FolderPlace | undefined {
  const entry = Object.entries(folderLayers).find(([source]) => path.startsWith(`${source}/`));
  if (entry === undefined) return undefined;
  const [source, layers] = entry;
  const [first = "", ...rest] = path.slice(source.length + 1).split("/");
  const folder = first.replace(/\.ts$/, "");
  return {
    source,
    folder,
    isInFolder: rest.length > 0,
    isEntryPoint: path === `${source}/index.ts` || Object.values(coreEntryPoints).includes(path),
    isTest: isTest(path),
    isTestKit: path.startsWith(`${testKit}/`),
    layer: layers.findIndex((layer) => layer.includes(folder)),
  };
}
