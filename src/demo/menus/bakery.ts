import type { Menu } from './menu.ts'

const sizes = { Regular: 0, Large: 60 }
const milk = ['Oat milk', 'Extra shot']
const loaf = ['Sliced']

export const bakery: Menu = {
  code: 'BAK',
  dishes: [
    {
      name: 'Butter croissant',
      category: 'Pastry',
      price: 280,
      tax: 'cold',
      extras: ['Warmed', 'Jam'],
      liked: 6,
    },
    { name: 'Pain au chocolat', category: 'Pastry', price: 320, tax: 'cold', extras: ['Warmed'], liked: 4 },
    { name: 'Cinnamon bun', category: 'Pastry', price: 360, tax: 'cold', extras: ['Warmed'], liked: 5 },
    { name: 'Cardamom knot', category: 'Pastry', price: 370, tax: 'cold', liked: 2 },
    { name: 'Apple turnover', category: 'Pastry', price: 340, tax: 'cold', liked: 2 },
    { name: 'Pretzel', category: 'Pastry', price: 220, tax: 'cold', extras: ['Butter'], liked: 4 },
    { name: 'Country sourdough', category: 'Bread', price: 480, tax: 'cold', extras: loaf, liked: 5 },
    { name: 'Rye loaf', category: 'Bread', price: 520, tax: 'cold', extras: loaf, liked: 3 },
    { name: 'Seeded loaf', category: 'Bread', price: 550, tax: 'cold', extras: loaf, liked: 3 },
    { name: 'Baguette', category: 'Bread', price: 260, tax: 'cold', liked: 5 },
    { name: 'Bread roll', category: 'Bread', price: 70, tax: 'cold', liked: 6 },
    { name: 'Ham and cheese baguette', category: 'Filled', price: 620, tax: 'cold', liked: 3 },
    {
      name: 'Egg mayonnaise roll',
      category: 'Filled',
      price: 540,
      tax: 'cold',
      extras: ['No mustard'],
      liked: 2,
    },
    { name: 'Sausage roll', category: 'Hot', price: 450, tax: 'meal', liked: 4 },
    { name: 'Cheese and leek pasty', category: 'Hot', price: 490, tax: 'meal', liked: 2 },
    { name: 'Tomato soup', category: 'Hot', price: 580, tax: 'meal' },
    { name: 'Filter coffee', category: 'Drinks', price: 280, tax: 'standard', sizes, extras: milk, liked: 3 },
    { name: 'Latte', category: 'Drinks', price: 350, tax: 'standard', sizes, extras: milk, liked: 4 },
    { name: 'Hot chocolate', category: 'Drinks', price: 380, tax: 'standard', sizes, liked: 2 },
    { name: 'Apple juice', category: 'Drinks', price: 290, tax: 'standard' },
    { name: 'Lemon drizzle slice', category: 'Cake', price: 390, tax: 'cold', liked: 2 },
    { name: 'Carrot cake slice', category: 'Cake', price: 420, tax: 'cold', liked: 2 },
    { name: 'Celebration cake', category: 'Cake', price: 3200, tax: 'cold', liked: 0.4 },
    { name: 'Plum cake slice', category: 'Cake', price: 410, tax: 'cold', liked: 2, dropped: true },
    { name: 'Tote bag', category: null, price: 900, tax: 'standard', liked: 0.2 },
  ],
  extras: {
    'Oat milk': 40,
    'Extra shot': 50,
    Warmed: 0,
    Sliced: 0,
    Jam: 60,
    Butter: 50,
    'No mustard': 0,
  },
  bundles: [
    {
      type: 102,
      name: 'Breakfast deal',
      category: 'Deals',
      price: 550,
      tax: 'meal',
      courses: [
        { 'Butter croissant': 0, 'Pain au chocolat': 0, 'Cinnamon bun': 40, Pretzel: 0 },
        { 'Filter coffee, Regular': 0, 'Latte, Regular': 30, 'Apple juice': 0 },
      ],
      liked: 3,
    },
    {
      type: 102,
      name: 'Lunch deal',
      category: 'Deals',
      price: 890,
      tax: 'meal',
      courses: [
        { 'Ham and cheese baguette': 0, 'Egg mayonnaise roll': 0, 'Sausage roll': 0 },
        { 'Lemon drizzle slice': 0, 'Carrot cake slice': 0 },
        { 'Apple juice': 0, 'Filter coffee, Large': 0 },
      ],
      liked: 2,
    },
  ],
}
