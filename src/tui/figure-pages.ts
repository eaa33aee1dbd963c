/** Lists that are known whole from the figures that every look brings: their screens need no look of their own. */
import { breakerItem, causeItem, typeItem, workerItem, type Item } from './items.ts'
import type { Figures, ListName } from './snapshot.ts'

export type FigureList = Extract<ListName, 'overview' | 'causes' | 'breakers' | 'workers'>

const overview = ({ causes, breakers, types }: Figures): readonly Item[] => [
  ...causes.map(causeItem),
  ...breakers.map(breakerItem),
  ...types.map(typeItem),
]

export const figureItems: Readonly<Record<FigureList, (figures: Figures) => readonly Item[]>> = {
  overview,
  causes: ({ causes }) => causes.map(causeItem),
  breakers: ({ breakers }) => breakers.map(breakerItem),
  workers: ({ workers }) => workers.map(workerItem),
}

export const figureLists = Object.keys(figureItems) as readonly FigureList[]
