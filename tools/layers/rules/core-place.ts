import type { Layers } from "../../../layers.mjs";

const source = "packages/core/src/";

/** Where a file of core stands: beside the doors, or in a folder on a floor (`-1`: a folder that layers.mjs does not name). */
export type CorePlace =
  | { readonly kind: "top"; readonly isDoor: boolean }
  | { readonly kind: "folder"; readonly folder: string; readonly floor: number };

/** The place of a path in core's source, `undefined` for everything else. */
export function corePlace(path: string, { coreFloors, coreDoors }: Layers): CorePlace | undefined {
  if (!path.startsWith(source)) return undefined;
  const [folder = "", ...rest] = path.slice(source.length).split("/");
  if (rest.length > 0)
    return { kind: "folder", folder, floor: coreFloors.findIndex((floor) => floor.includes(folder)) };
  return { kind: "top", isDoor: Object.values(coreDoors).includes(folder.replace(/\.ts$/, "")) };
}
