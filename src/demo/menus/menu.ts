/** The format of a menu; the other files in this folder are data. */

/** Product classes for taxes: taxes.ts has the rate of each class in each country. */
export type TaxClass = 'meal' | 'cold' | 'standard' | 'grocery' | 'gift'

export interface Dish {
  name: string
  category: string | null
  /** Cents for one unit. For KG and L a multiple of 200, so that any weight in steps of 5 g costs whole cents. */
  price: number
  tax: TaxClass
  /** Sizes, each with what it adds to the price. Every size is an item of its own (type 21). */
  sizes?: Readonly<Record<string, number>>
  /** Names of the menu's extras that fit the dish. */
  extras?: readonly string[]
  unit?: 'KG' | 'G' | 'L' | 'ML'
  /** How often it sells relative to a dish with 1, the default. */
  liked?: number
  /** Sold at first and deleted half way through the demo. */
  dropped?: true
}

/** A set menu (type 101) or combo (type 102): one price, and one dish of each course. */
interface Bundle {
  type: 101 | 102
  name: string
  category: string
  price: number
  tax: TaxClass
  /** Item names of each course with the supplement that each costs. */
  courses: readonly Readonly<Record<string, number>>[]
  liked?: number
}

export interface Menu {
  /** Starts the product codes. */
  code: string
  dishes: readonly Dish[]
  /** Modifiers (type 22) with what each adds to the price. */
  extras: Readonly<Record<string, number>>
  bundles: readonly Bundle[]
}
