//! Locations: GeoRSS simple and GML, and the W3C's latitude and longitude.
//!
//! Feeds write latitude first; the reading has longitude first, as GeoJSON does.

use model::reading::Geo;

use super::{Flow, Position, Reader};
use crate::markup::Tag;
use crate::names::Element;

/// Points of all locations of a document: written as `1 1 ` each would take a dozen times its bytes.
pub(super) const MAX_POINTS: usize = 200_000;

/// The shape of a list of coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Point,
    Line,
    Polygon,
    Box,
}

impl<'a> Reader<'a> {
    pub(super) fn geo(&mut self, element: Element, tag: &Tag<'a>) {
        let shape = match element {
            Element::GeoLine => Shape::Line,
            Element::GeoPolygon => Shape::Polygon,
            Element::GeoBox => Shape::Box,
            _ => Shape::Point,
        };
        let text = self.text_of(tag);
        if let Some(geo) = geometry(shape, &text, 2, false) {
            self.set_place(geo);
        }
    }

    /// Sets a location, while the document's limit of points is not reached.
    fn set_place(&mut self, geo: Geo) {
        let points = match &geo {
            Geo::Point(_) => 1,
            Geo::Line(points) | Geo::Polygon(points) | Geo::Box(points) => points.len(),
        };
        match self.points.checked_sub(points) {
            Some(left) => {
                self.points = left;
                self.about().geo = Some(Box::new(geo));
            }
            None => self.points = 0,
        }
    }

    pub(super) fn in_where(&mut self, element: Element, shape: Shape, tag: &Tag<'a>) -> Flow {
        let dimensions = self.attribute("srsDimension").and_then(|dimensions| dimensions.parse().ok());
        if dimensions.is_some() {
            self.dimensions = dimensions;
        }
        if let Some(system) = self.attribute("srsName") {
            self.projected = is_projected(&system);
        }
        match element {
            Element::GmlPoint | Element::GeoPoint => Flow::Inside(Position::Where(Shape::Point)),
            Element::GmlLine => Flow::Inside(Position::Where(Shape::Line)),
            Element::GmlPolygon => Flow::Inside(Position::Where(Shape::Polygon)),
            Element::GmlEnvelope => {
                self.corners.clear();
                Flow::Inside(Position::Where(Shape::Box))
            }
            Element::Transparent | Element::Where => Flow::Inside(Position::Where(shape)),
            Element::GmlPosition => {
                let text = self.text_of(tag);
                if let Some(geo) = geometry(shape, &text, self.dimensions.unwrap_or(2), self.projected) {
                    self.set_place(geo);
                }
                Flow::Done
            }
            Element::GmlCorner => {
                let text = self.text_of(tag);
                self.corners.extend(coordinates(&text, 2, self.projected).unwrap_or_default().into_iter().next());
                if let [lower, upper] = self.corners.as_slice() {
                    let geo = Geo::Box(vec![lower.clone(), upper.clone()]);
                    self.set_place(geo);
                }
                Flow::Done
            }
            _ => Flow::Inside(Position::Void),
        }
    }

    /// Two elements that form one point; both are also kept as extensions, since one may be missing.
    pub(super) fn latitude_longitude(&mut self, element: Element, tag: &Tag<'a>) {
        let (namespace, local) = self.expand(tag.name);
        let mut extension = self.extension(namespace, local);
        extension.said.text = self.string_of(tag);
        let number = extension.said.text.as_ref().and_then(|text| text.parse::<f64>().ok());
        self.push_extension(extension);
        let Some(number) = number.filter(|number| number.is_finite()) else { return };
        let pair = match (element, self.halfway.take()) {
            (Element::Latitude, Some((Element::Longitude, longitude))) => vec![longitude, number],
            (Element::Longitude, Some((Element::Latitude, latitude))) => vec![number, latitude],
            _ => {
                self.halfway = Some((element, number));
                return;
            }
        };
        self.about().geo.get_or_insert_with(|| Box::new(Geo::Point(pair)));
    }
}

/// EPSG's geographic systems, numbered 4000 to 4999, have latitude first; the projected ones have east first.
fn is_projected(system: &str) -> bool {
    let code = system.rsplit(':').next().and_then(|code| code.trim().parse::<u32>().ok());
    system.contains("EPSG") && code.is_some_and(|code| !(4000..5000).contains(&code))
}

fn geometry(shape: Shape, text: &str, dimensions: usize, projected: bool) -> Option<Geo> {
    let mut points = coordinates(text, dimensions, projected)?;
    Some(match shape {
        Shape::Point => Geo::Point(points.into_iter().next()?),
        Shape::Line if points.len() >= 2 => Geo::Line(points),
        Shape::Polygon if points.len() >= 3 => Geo::Polygon(points),
        Shape::Box if points.len() >= 2 => {
            points.truncate(2);
            Geo::Box(points)
        }
        _ => return None,
    })
}

/// `lat lon lat lon …`, reversed; separated by spaces or commas.
fn coordinates(text: &str, dimensions: usize, projected: bool) -> Option<Vec<Vec<f64>>> {
    let numbers = text.split(|c: char| c.is_whitespace() || c == ',').filter(|number| !number.is_empty());
    let numbers: Result<Vec<f64>, _> = numbers.take(20_000).map(str::parse).collect();
    let numbers = numbers.ok()?;
    if numbers.iter().any(|number| !number.is_finite()) {
        return None;
    }
    let points = numbers.chunks_exact(dimensions.clamp(2, 3)).map(|point| {
        let mut point = point.to_vec();
        if !projected {
            point.swap(0, 1);
        }
        point
    });
    Some(points.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        assert_eq!(geometry(Shape::Point, "36.9, -76.1", 2, false), Some(Geo::Point(vec![-76.1, 36.9])));
        assert_eq!(geometry(Shape::Line, "1 2 3 4", 2, false), Some(Geo::Line(vec![vec![2.0, 1.0], vec![4.0, 3.0]])));
        assert_eq!(geometry(Shape::Point, "1 2 3", 3, false), Some(Geo::Point(vec![2.0, 1.0, 3.0])));
        assert_eq!(geometry(Shape::Point, "1 2", 2, true), Some(Geo::Point(vec![1.0, 2.0])));
        assert!(is_projected("urn:ogc:def:crs:EPSG::26713") && !is_projected("urn:ogc:def:crs:EPSG::4326"));
        assert_eq!(geometry(Shape::Point, "north", 2, false), None);
        assert_eq!(geometry(Shape::Point, "inf 1", 2, false), None);
    }
}
