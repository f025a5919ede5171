import { createContext } from "preact";
import type { ComponentChildren, ComponentType } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { loadStyle } from "../ui/load-style.ts";

/** The address of the style sheet of charts. Without it, charts are shown as data. */
export const ChartStyleContext = createContext<URL | undefined>(undefined);

type Loaded = ComponentType<{ data: unknown; name: string; otherwise: ComponentChildren }>;

/** The charts of this document, once they are loaded. */
let loading: Promise<Loaded> | undefined;

/** An artifact that is shown as a chart. The library is loaded with the first one; until then it is shown as data. */
export function ChartArtifact({
  data,
  name,
  otherwise,
}: {
  data: unknown;
  name: string;
  otherwise: ComponentChildren;
}) {
  const style = useContext(ChartStyleContext);
  const [Chart, setChart] = useState<Loaded>();
  useEffect(() => {
    if (style === undefined) return;
    loading ??= Promise.all([import("./chart-view.tsx"), loadStyle(style)]).then(([{ ReadAndDraw }]) => ReadAndDraw);
    loading.then(
      (loaded) => setChart(() => loaded),
      () => (loading = undefined),
    );
  }, [style]);
  return Chart === undefined ? otherwise : <Chart data={data} name={name} otherwise={otherwise} />;
}
