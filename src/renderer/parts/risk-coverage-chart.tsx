import { CartesianGrid, Legend, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Metrics } from '../../engine/domain.ts';
import { percent } from './layout.tsx';

/** Share decided directly and error among those, over the threshold. */
export function RiskCoverageChart({ points }: { points: Metrics['risk_coverage'] }) {
  return (
    <>
      <div className="chart">
        <ResponsiveContainer width="100%" height="100%">
          <LineChart data={points} margin={{ top: 8, right: 16, bottom: 20, left: 8 }}>
            <CartesianGrid stroke="var(--line)" vertical={false} />
            <XAxis
              dataKey="threshold"
              type="number"
              domain={['dataMin', 1]}
              tickFormatter={(value: number) => value.toFixed(2)}
              stroke="var(--muted)"
              label={{ value: 'Threshold', position: 'insideBottom', offset: -12, fill: 'var(--muted)' }}
            />
            <YAxis
              domain={[0, 1]}
              tickFormatter={(value: number) => `${Math.round(value * 100)} %`}
              stroke="var(--muted)"
              width={54}
            />
            <Tooltip
              formatter={(value) => percent(Number(value))}
              labelFormatter={(value) => `Threshold ${Number(value).toFixed(2)}`}
              contentStyle={{ background: 'var(--surface)', border: '1px solid var(--line)', color: 'var(--text)' }}
            />
            <Legend verticalAlign="top" height={28} />
            <Line
              name="Decided directly"
              dataKey="coverage"
              stroke="var(--accent)"
              strokeWidth={2}
              dot={false}
              isAnimationActive={false}
            />
            <Line
              name="Error among them"
              dataKey="error"
              stroke="var(--bad)"
              strokeWidth={2}
              strokeDasharray="6 3"
              dot={false}
              isAnimationActive={false}
            />
          </LineChart>
        </ResponsiveContainer>
      </div>
      <details>
        <summary>The same as a table</summary>
        <div className="scroll" style={{ maxHeight: '16rem' }}>
          <table>
            <thead>
              <tr>
                <th scope="col" className="num">
                  Threshold
                </th>
                <th scope="col" className="num">
                  Decided directly
                </th>
                <th scope="col" className="num">
                  Error among them
                </th>
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.threshold}>
                  <td className="num">{point.threshold.toFixed(2)}</td>
                  <td className="num">{percent(point.coverage)}</td>
                  <td className="num">{percent(point.error)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
