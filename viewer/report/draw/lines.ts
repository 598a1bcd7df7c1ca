// Line charts by ECharts: axes with units, bands or bars for the spread, marked ranges.
import { CustomChart, LineChart as EChartsLines } from "echarts/charts";
import { GridComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { Axis, LineChart, Point, Series, XRange } from "../../model/figure";
import { binaryTicks, countTicks, ticksOver } from "../../model/ticks";
import { formatNumber, formatValue, scaleOf } from "../../model/units";
import { el } from "../dom";
import { drawingWidth, keepDrawn, type Palette, palette } from "../surroundings";

echarts.use([
  CustomChart,
  EChartsLines,
  GridComponent,
  MarkAreaComponent,
  MarkLineComponent,
  SVGRenderer,
  TooltipComponent,
]);

type Option = Record<string, unknown>;

const SYMBOLS = ["circle", "rect", "triangle", "diamond", "emptyCircle", "emptyRect", "emptyTriangle"];
const NARROW = 560;
const MAX_POINTS_WITH_SYMBOLS = 24;

/** The chart with a legend whose entries hide and show their series. */
export function drawLines(chart: LineChart): HTMLElement {
  const hidden = new Set<number>();
  const plot = el("div", { class: "plot" });
  const host = el("div", {}, chart.series.length > 1 && legendOf(chart, hidden, redraw), plot);
  let drawn: echarts.ECharts | null = null;
  function redraw(): void {
    drawn?.dispose();
    const width = drawingWidth(plot);
    const height = Math.round(Math.min(440, Math.max(280, width * 0.48)));
    drawn = echarts.init(plot, null, { renderer: "svg", width, height });
    drawn.setOption(optionOf(chart, hidden, palette(), width));
  }
  keepDrawn(host, redraw);
  return host;
}

function legendOf(chart: LineChart, hidden: Set<number>, redraw: () => void): HTMLElement {
  const entries = chart.series.map((series, i) => {
    const mark = el("span", { class: `mark tone-${series.tone % 7}${series.dashed ? " dashed" : ""}` });
    const entry = el("button", { type: "button", "aria-pressed": "true" }, mark, series.name);
    entry.addEventListener("click", () => {
      if (!hidden.delete(i)) hidden.add(i);
      entry.setAttribute("aria-pressed", String(!hidden.has(i)));
      redraw();
    });
    return entry;
  });
  return el("div", { class: "legend", role: "group", "aria-label": "Series shown" }, ...entries);
}

function optionOf(chart: LineChart, hidden: Set<number>, colours: Palette, width: number): Option {
  const shown = chart.series.filter((_, i) => !hidden.has(i));
  const narrow = width < NARROW;
  return {
    animation: false,
    textStyle: { fontFamily: "inherit" },
    grid: {
      left: 8,
      right: narrow ? 14 : 24,
      top: chart.ranges.length ? 34 : 16,
      bottom: 30,
      containLabel: true,
    },
    xAxis: { ...axisOption(chart.x, xValues(chart), colours, narrow ? 4 : 11), nameGap: 32 },
    yAxis: { ...axisOption(chart.y, yValues(chart), colours, 6), name: "" },
    tooltip: tooltipOption(chart, shown, colours),
    series: [
      ...rangeSeries(chart.ranges, colours),
      ...shown.flatMap((series) => seriesOptions(series, chart.series.indexOf(series), colours)),
    ],
  };
}

function xValues({ series }: LineChart): number[] {
  return series.flatMap(({ points }) => points.map(({ x }) => x));
}

function yValues({ series }: LineChart): number[] {
  return series.flatMap(({ points }) => points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]));
}

interface Span {
  min: number;
  max: number;
  ticks: number[];
}

function spanOf({ scale, unit, close }: Axis, values: number[], most: number): Span {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!Number.isFinite(low)) return { min: 0, max: 1, ticks: [0, 1] };
  if (scale === "log2") return { min: low, max: high, ticks: binaryTicks(low, high, most) };
  if (unit === "") return { min: low - 0.3, max: high + 0.3, ticks: countTicks(low, high, most) };
  const ticks = ticksOver(low, high, { scale, close: close ?? false, most });
  return { min: ticks[0] ?? low, max: ticks.at(-1) ?? high, ticks };
}

function axisOption(axis: Axis, values: number[], colours: Palette, most: number): Option {
  const { min, max, ticks } = spanOf(axis, values, most);
  return {
    type: axis.scale === "linear" ? "value" : "log",
    logBase: axis.scale === "log2" ? 2 : 10,
    name: axis.title,
    nameLocation: "middle",
    nameTextStyle: { color: colours.soft, fontSize: 12 },
    min,
    max,
    axisLine: { show: true, lineStyle: { color: colours.soft } },
    axisTick: { show: true, customValues: ticks, lineStyle: { color: colours.soft } },
    axisLabel: {
      customValues: ticks,
      color: colours.soft,
      fontSize: 11.5,
      hideOverlap: true,
      margin: 11,
      formatter: (value: number) => tickLabel(value, axis, max),
    },
    splitLine: { show: true, lineStyle: { color: colours.line, width: 1 } },
  };
}

/** On linear axes all labels share the prefix of the largest. */
function tickLabel(value: number, { unit, scale }: Axis, max: number): string {
  if (unit === "") return String(value);
  const shared = scaleOf(scale === "linear" ? max : value, unit);
  return `${formatNumber(Number((value / shared.divisor).toPrecision(6)))} ${shared.unit}`;
}

/** A series without points that carries the marked ranges, so that hiding a series does not hide them. */
function rangeSeries(ranges: XRange[], colours: Palette): Option[] {
  if (ranges.length === 0) return [];
  const areas = ranges.filter(({ low, high }) => high > low);
  const label = { color: colours.soft, fontSize: 11.5, position: "top", distance: 4 };
  return [
    {
      type: "line",
      data: [],
      silent: true,
      markArea: {
        silent: true,
        label,
        data: areas.map(({ name, low, high }, i) => [
          { name, xAxis: low, itemStyle: { color: colours.levels[Math.min(i, 2)] ?? "", opacity: 0.75 } },
          { xAxis: high },
        ]),
      },
      markLine: {
        silent: true,
        symbol: "none",
        label: { ...label, position: "insideEndBottom", formatter: "{b}" },
        data: ranges
          .filter(({ low, high }) => high <= low)
          .map(({ name, low, kind }) => ({
            name,
            xAxis: low,
            lineStyle: { color: colours.soft, width: 1.2, type: kind === "declared" ? [2, 4] : "solid" },
          })),
      },
    },
  ];
}

function seriesOptions(series: Series, index: number, colours: Palette): Option[] {
  const colour = colours.series[series.tone % colours.series.length] ?? colours.ink;
  return [...spreadOptions(series, colour), lineOption(series, index, colour)];
}

function lineOption({ name, points, dashed }: Series, index: number, colour: string): Option {
  return {
    type: "line",
    name,
    data: points.map(({ x, y }) => [x, y]),
    symbol: SYMBOLS[index % SYMBOLS.length],
    symbolSize: 7,
    showSymbol: points.length <= MAX_POINTS_WITH_SYMBOLS,
    itemStyle: { color: colour },
    lineStyle: { color: colour, width: 2, type: dashed ? [6, 4] : "solid" },
    emphasis: { disabled: true },
    z: 3,
  };
}

interface DrawingApi {
  coord: (point: [number, number]) => [number, number];
}

function spreadOptions({ points, spread }: Series, colour: string): Option[] {
  const bounded = points.filter(
    (point): point is Required<Point> => point.low !== undefined && point.high !== undefined,
  );
  if (spread === "none" || bounded.length === 0) return [];
  const renderItem =
    spread === "band"
      ? ({ dataIndex }: { dataIndex: number }, api: DrawingApi) =>
          dataIndex === 0 && band(bounded, api, colour)
      : ({ dataIndex }: { dataIndex: number }, api: DrawingApi) => errorBar(bounded[dataIndex], api, colour);
  return [
    {
      type: "custom",
      renderItem,
      data: bounded.map(({ x, low, high }) => [x, low, high]),
      encode: { x: 0, y: [1, 2] },
      clip: true,
      silent: true,
      tooltip: { show: false },
      z: 2,
    },
  ];
}

function band(points: Required<Point>[], api: DrawingApi, colour: string): Option {
  const upper = points.map(({ x, high }) => api.coord([x, high]));
  const lower = points.map(({ x, low }) => api.coord([x, low])).reverse();
  return { type: "polygon", shape: { points: [...upper, ...lower] }, style: { fill: colour, opacity: 0.2 } };
}

function errorBar(point: Required<Point> | undefined, api: DrawingApi, colour: string): Option | null {
  if (!point) return null;
  const [x, top] = api.coord([point.x, point.high]);
  const [, bottom] = api.coord([point.x, point.low]);
  const stroke = { stroke: colour, lineWidth: 1.4, fill: "none" };
  const line = (x1: number, y1: number, x2: number, y2: number) => ({
    type: "line",
    shape: { x1, y1, x2, y2 },
    style: stroke,
  });
  return {
    type: "group",
    children: [line(x, top, x, bottom), line(x - 4, top, x + 4, top), line(x - 4, bottom, x + 4, bottom)],
  };
}

interface TooltipEntry {
  seriesName?: string;
  dataIndex: number;
  seriesType?: string;
}

function tooltipOption({ x, y }: LineChart, shown: Series[], colours: Palette): Option {
  return {
    trigger: sameSizes(shown) ? "axis" : "item",
    confine: true,
    axisPointer: { type: "line", lineStyle: { color: colours.soft, type: [3, 3] } },
    backgroundColor: colours.card,
    borderColor: colours.line,
    textStyle: { color: colours.ink, fontSize: 12.5 },
    formatter: (entries: TooltipEntry | TooltipEntry[]) =>
      tooltipOf(Array.isArray(entries) ? entries : [entries], shown, x, y),
  };
}

/** Whether all series have a point at the same places, so that one line can tell all of them. */
function sameSizes(shown: Series[]): boolean {
  const places = shown.map(({ points }) => points.map(({ x }) => x).join());
  return new Set(places).size <= 1;
}

function tooltipOf(entries: TooltipEntry[], shown: Series[], x: Axis, y: Axis): HTMLElement | string {
  const found = entries.flatMap(({ seriesName, dataIndex, seriesType }) => {
    const series = shown.find(({ name }) => name === seriesName);
    const point = series?.points[dataIndex];
    return series && point && seriesType === "line" ? [{ series, point }] : [];
  });
  const [first] = found;
  if (!first) return "";
  return el(
    "div",
    { class: "tooltip" },
    el("strong", {}, x.unit === "" ? `${first.point.x} ${x.title}` : formatValue(first.point.x, x.unit)),
    ...found.map(({ series, point }) => tooltipLine(series, point, y)),
  );
}

function tooltipLine({ name, upper }: Series, point: Point, { unit }: Axis): HTMLElement {
  const { y, note } = point;
  const more = note ? ` · ${note}` : "";
  return el("div", {}, `${name}: `, el("b", {}, formatValue(y, unit)), boundsOf(point, upper, unit), more);
}

function boundsOf({ low, high }: Point, upper: string | undefined, unit: string): string {
  if (low === undefined || high === undefined) return "";
  return upper
    ? ` (${upper} ${formatValue(high, unit)})`
    : ` [${formatValue(low, unit)}, ${formatValue(high, unit)}]`;
}
