import type { Workspace } from "../workspace.ts";

/** Applications and private packages are never published, and a private package's name says what it is. */
export function privacy({ apps, internal }: Workspace): string[] {
  const published = [...apps, ...internal]
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ path }) => `${path}/package.json: only what lives in packages/ is published; write "private": true.`);
  const misnamed = internal
    .filter(({ folder, manifest }) => manifest.name !== `@troupe-internal/${folder}`)
    .map(({ path, folder }) => `${path}/package.json: "name" must be "@troupe-internal/${folder}".`);
  return [...published, ...misnamed];
}
