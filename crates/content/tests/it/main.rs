//! What is promised of HTML that strangers wrote.

mod ammonia_agrees;
mod fuzz;
mod hostile;
mod referee;
