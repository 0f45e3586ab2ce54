import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from "chart.js";
import type { Colours } from "./colours";
import type { Picture } from "./picture";

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale);
Chart.register(LineController, LineElement, PointElement, Tooltip);

const LONGEST_LABEL = 22;
/** Pixels that a character takes, about. */
const CHARACTER = 6.5;

/** Draws a picture; returns a function that removes it. `axis` formats a value. */
export function draw(
  canvas: HTMLCanvasElement,
  picture: Picture,
  colours: Colours,
  axis: (value: number) => string,
): () => void {
  const chart = new Chart(canvas, configuration(picture, colours, axis));
  return () => {
    chart.destroy();
  };
}

function configuration(
  { kind, labels, series }: Picture,
  { text, line, series: tints, ofColumn }: Colours,
  axis: (value: number) => string,
): ChartConfiguration {
  const known = series.map(({ column }) => (column === undefined ? undefined : ofColumn(column)));
  const areDistinct = new Set(known).size === known.length;
  return {
    type: kind,
    data: {
      labels: [...labels],
      datasets: series.map(({ name, values }, index) => {
        const tint =
          (areDistinct ? known[index] : undefined) ?? tints[index % tints.length] ?? text;
        const style = {
          backgroundColor: tint,
          borderColor: tint,
          borderWidth: kind === "line" ? 2 : 0,
        };
        return { label: name, data: [...values], maxBarThickness: 42, pointRadius: 3, ...style };
      }),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      scales: {
        x: {
          ticks: {
            color: text,
            font: { size: 11 },
            maxRotation: 35,
            callback(_value, index) {
              return shorten(labels[index] ?? "", this.chart.width / labels.length);
            },
          },
          grid: { display: false },
        },
        y: {
          beginAtZero: true,
          ticks: {
            color: text,
            callback: (value) => axis(Number(value)),
            ...(series.every(({ values }) => values.every(isWhole)) && { precision: 0 }),
          },
          grid: { color: line },
        },
      },
      plugins: {
        legend: { display: series.length > 1, labels: { color: text, boxWidth: 12 } },
        tooltip: {
          callbacks: {
            label: ({ dataset, parsed }) =>
              ` ${dataset.label ?? ""} ${parsed.y === null ? "–" : axis(parsed.y)}`,
          },
        },
      },
    },
  };
}

function isWhole(value: number | null): boolean {
  return value === null || Number.isInteger(value);
}

/** A label cut to what `room` pixels hold, but never to less than a slanted one has. */
function shorten(label: string, room: number): string {
  const most = Math.max(LONGEST_LABEL, Math.floor(room / CHARACTER));
  return label.length > most ? `${label.slice(0, most)}…` : label;
}
